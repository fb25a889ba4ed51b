"""Files that a script makes: written anew, or compared with what it would write."""
import difflib


def update(wanted, check, made):
    """Writes the files of `wanted` (text by path) that have another text; with `check` only
    shows what is different. `made` says how the new text came about. Returns their paths.
    """
    stale = []
    for path, text in wanted.items():
        found = path.read_text() if path.exists() else ""
        if found == text:
            continue
        stale.append(path)
        if check:
            lines = difflib.unified_diff(
                found.splitlines(), text.splitlines(), str(path), made, "", "", 1
            )
            print("\n".join(list(lines)[:40]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {path}")
    return stale
