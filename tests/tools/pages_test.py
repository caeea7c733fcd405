#!/usr/bin/env python3
"""The documents hold together: every link leads somewhere, also to the heading that it names; every page of
docs/ is in the index docs/README.md; every term of the glossary is linked from some page, and every lecture
is called by its name; ARCHITECTURE.md allows the includes that tools/check-layers allows.

    pages_test.py REPOSITORY
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("examples/**/*.md"))]
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)")


def text_of(page):
    """Without blocks of code, in which brackets mean other things."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors_of(page):
    """As GitHub makes them of headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text_of(page), re.M):
        words = re.sub(r"\]\([^)]*\)", "", heading).lower()
        words = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(words)
    return found


def links_of(page):
    """The page that each link leads to, or None for another site, and the heading that it names."""
    for target in LINK.findall(text_of(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        yield target, (page.parent / path).resolve() if path else page, anchor


class Pages(unittest.TestCase):
    def test_links(self):
        seen = 0
        for page in PAGES:
            for target, path, anchor in links_of(page):
                with self.subTest(f"{page.relative_to(ROOT)}: {target}"):
                    self.assertTrue(path.exists())
                    if anchor and path.suffix == ".md":
                        self.assertIn(anchor, anchors_of(path))
                seen += 1
        self.assertGreater(seen, 100)

    def test_every_page_is_in_the_index(self):
        listed = {path for _, path, _ in links_of(DOCS / "README.md")}
        # tools/docs writes these and their index.
        listed |= set(DOCS.glob("algorithms/*.md"))
        for page in PAGES:
            if page.is_relative_to(DOCS) and page != DOCS / "README.md":
                with self.subTest(page.relative_to(ROOT)):
                    self.assertIn(page, listed)

    def test_terms_are_linked_from_where_they_are_used(self):
        glossary = DOCS / "glossary.md"
        linked = {anchor for page in PAGES if page != glossary
                  for _, path, anchor in links_of(page) if path == glossary}
        self.assertEqual(set(), anchors_of(glossary) - linked - {"glossary"})

    def test_the_rooms_may_include_what_is_checked(self):
        """The table of ARCHITECTURE.md beside the one in tools/check-layers."""
        checked = {}
        script = (ROOT / "tools" / "check-layers").read_text(encoding="utf-8")
        for folder, allowed in re.findall(r'^  \[([\w/]+)\]="([^"]*)"', script, re.M):
            words = allowed.replace("$algorithms", "the-algorithms").split()
            checked[folder] = {word.replace("-", " ") for word in words}
        told = {}
        for folder, allowed in re.findall(r"^\| `src/([\w/]+)/` \|.*\| ([^|]*) \|$",
                                          (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.M):
            told[folder] = set() if allowed == "nothing" else set(allowed.split(", "))
        self.assertGreater(len(checked), 20)
        for folder, allowed in checked.items():
            with self.subTest(folder):
                self.assertEqual(allowed, told.get(folder))

    def test_lectures_have_names(self):
        for page in PAGES:
            with self.subTest(page.relative_to(ROOT)):
                self.assertNotRegex(page.read_text(encoding="utf-8"), r"(?i)lecture documents? 00\d|\b00[0-4]'s\b")


if __name__ == "__main__":
    unittest.main()
