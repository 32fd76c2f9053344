"""Checks the links of the documentation's site.

    check_site.py SITE

Every link within the site leads to a page that exists, and a fragment to an
element of that page. A link leads to every page.
"""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(attributes[key] for key in ("id", "name")
                        if attributes.get(key))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


def main():
    site = os.path.abspath(sys.argv[1])
    paths = [os.path.join(folder, name)
             for folder, _, names in os.walk(site)
             for name in names if name == "index.html"]
    paths = [p for p in paths if not p.startswith(site + "/api/")]
    pages = {path: Page(path) for path in paths}
    broken, linked, checked = [], set(), 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = os.path.normpath(
                    os.path.join(os.path.dirname(path), unquote(parts.path)))
                if os.path.isdir(target):
                    target = os.path.join(target, "index.html")
            checked += 1
            linked.add(target)
            inside = os.path.relpath(target, site)
            if not os.path.exists(target):
                broken.append(f"{os.path.relpath(path, site)}: {link}")
            elif (parts.fragment and target in pages
                  and unquote(parts.fragment) not in pages[target].ids):
                broken.append(f"{os.path.relpath(path, site)}: no element "
                              f"'{parts.fragment}' in {inside}")
    for path in paths:
        if path not in linked:
            broken.append(f"{os.path.relpath(path, site)}: no link leads here")
    print("\n".join(broken))
    print(f"{len(pages)} pages, {checked} links, {len(broken)} broken")
    return 1 if broken or not checked else 0


sys.exit(main())
