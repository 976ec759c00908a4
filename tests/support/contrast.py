"""Contrast that axe hasn't examined yet: most of its time goes into the same menus and rows, page after page.

A part of a page is left out if one that looks the same was good before: the same elements, in the same colours and
fonts, in boxes of the same size where these have a background, inside of elements of which all that holds, too. Words,
and addresses that links lead to, make no difference to it.
"""

from typing import Any

from playwright.sync_api import Page

# By look: the keys of parts that were examined, with nothing found.
_good: dict[tuple[str, int], set[str]] = {}

# Returns the keys of elements, parents before children. A key is of what an element and all in it look like, and of
# what all around it look like. What isn't displayed has none: axe examines it as little.
_KEYS = """(within) => {
  const LOOKS = ["color", "background-color", "background-image", "background-size", "background-position", "opacity",
    "filter", "mix-blend-mode", "text-shadow", "-webkit-text-fill-color", "-webkit-text-stroke-width", "font-size",
    "font-weight", "visibility", "position", "z-index", "overflow", "clip", "clip-path",
    "transform", "text-indent", "display", "content"];
  const ASKED = ["disabled", "aria-disabled", "aria-hidden", "role", "type"];  // the attributes that axe asks about
  const hash = text => {
    let one = 0xdeadbeef, two = 0x41c6ce57;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 2654435761);
      two = Math.imul(two ^ code, 1597334677);
    }
    return (one >>> 0).toString(36) + (two >>> 0).toString(36);
  };
  const styles = (element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return pseudo && style.content === "none" ? "" : LOOKS.map(name => style.getPropertyValue(name)).join("|");
  };
  const own = element => {
    const box = element.getBoundingClientRect(), asked = ASKED.map(name => element.getAttribute(name));
    asked.push(element.control?.disabled, box.width > 1 && box.height > 1);  // a label is as disabled as its control
    const looks = [null, "::before", "::after"].map(pseudo => styles(element, pseudo));
    return [element.localName, ...asked, ...looks].join(";");
  };
  const size = element => {
    const style = getComputedStyle(element), { width, height } = element.getBoundingClientRect();
    const plain = style.backgroundColor === "rgba(0, 0, 0, 0)" && style.backgroundImage === "none"
      && style.position === "static" && style.overflow === "visible";
    return plain ? "" : Math.round(width) + "x" + Math.round(height);
  };
  const read = element => {
    if (getComputedStyle(element).display === "none") return null;
    const looks = own(element), children = [];
    let inside = looks + size(element);
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) inside += "," + Math.min(node.data.trim().length, 2);
      const child = node.nodeType === Node.ELEMENT_NODE ? read(node) : null;
      if (child) {
        children.push(child);
        inside += "," + child.inside;
      }
    }
    return { element, looks, children, inside: hash(inside) };
  };
  const roots = within ? [...document.querySelectorAll(within)] : [document.body];
  window.contrastRoots = roots;
  window.contrastKeys = [];
  const name = (part, around, wanted) => {
    const inRoot = wanted || roots.includes(part.element), key = hash(around + ">" + part.inside);
    if (inRoot) window.contrastKeys.push([part.element, key]);
    for (const child of part.children) name(child, hash(around + ">" + part.looks), inRoot);
  };
  name(read(document.documentElement), "", false);
  return window.contrastKeys.map(each => each[1]);
}"""

# `good`: keys of what needs no examining. Of parts that look the same on this page, one is examined. Returns
# violations, and the keys of what axe can't tell: what something else covers may look the same where nothing does.
_EXAMINE = """async (good) => {
  const keys = new Set(good), out = new Set(), exclude = [];
  for (const [element, key] of window.contrastKeys) {
    if (out.has(element.parentElement)) out.add(element);
    else if (keys.has(key)) {
      out.add(element);
      exclude.push(element);
    } else keys.add(key);
  }
  const include = window.contrastRoots.filter(root => !out.has(root));
  if (!include.length) return [[], []];
  const options = { preload: false, elementRef: true, runOnly: ["color-contrast"],
    resultTypes: ["violations", "incomplete"] };
  const { violations, incomplete } = await axe.run({ include, exclude }, options);
  const keyOf = new Map(window.contrastKeys), unsure = new Set();
  for (const { element } of incomplete.flatMap(each => each.nodes))
    for (let part = element; part; part = part.parentElement) unsure.add(keyOf.get(part));
  for (const each of violations) for (const node of each.nodes) delete node.element;
  return [violations, [...unsure]];
}"""


def contrast_violations(page: Page, look: tuple[str, int], within: str | None) -> list[dict[str, Any]]:
    """What axe finds of contrast in parts of the page that this process hasn't seen in that look; axe is there."""
    good = _good.setdefault(look, set())
    keys = page.evaluate(_KEYS, within)
    violations, unsure = page.evaluate(_EXAMINE, sorted(good & {*keys}))
    if not violations:
        good.update({*keys} - {*unsure})
    return list(violations)
