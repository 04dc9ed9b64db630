"""What a wall page looks like in a browser, measured: what overlaps, what is cut, what leaves the screen."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.e2e.wall import at_rest

_FOUND: Final = """() => {
  const isSeen = node => node.getClientRects().length && !node.closest('.speech')
    && getComputedStyle(node).visibility !== 'hidden';
  const name = node => `${node.getAttribute('class') || node.tagName}: ${node.textContent.slice(0, 40)}`;
  const boxesOf = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const own = node.getBoundingClientRect();  // lines that are cut off lie below it
    return [...range.getClientRects()].filter(box => box.top < own.bottom - 2).map(box => ({ box, node }));
  };
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;
  const texts = [...document.querySelectorAll('#wall *')].filter(node => isSeen(node)
    && [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim()));
  const boxes = texts.flatMap(node => node.ownerSVGElement
    ? [{ box: node.getBoundingClientRect(), node }] : boxesOf(node));
  const found = [];
  boxes.forEach((one, place) => boxes.slice(place + 1).forEach(other => {
    // The boxes of lines are taller than their letters, and those of one text touch.
    const shrunk = box => ({ left: box.left, right: box.right,
      top: box.top + box.height * 0.15, bottom: box.bottom - box.height * 0.15 });
    if (one.node !== other.node && overlap(shrunk(one.box), shrunk(other.box))) {
      found.push(`${name(one.node)} lies on ${name(other.node)}`);
    }
  }));
  const inRoom = boxes.filter(one => {
    const room = document.documentElement;
    return one.box.right > room.clientWidth + 1 || one.box.bottom > room.clientHeight + 1
      || one.box.left < -1 || one.box.top < -1;
  });
  inRoom.forEach(one => found.push(`${name(one.node)} leaves the screen`));
  boxes.forEach(one => {
    const view = one.node.closest('.body');
    if (view && (one.box.bottom > view.getBoundingClientRect().bottom + 2
        || one.box.top < view.getBoundingClientRect().top - one.box.height * 0.2 - 2)) {
      found.push(`${name(one.node)} leaves its view`);
    }
  });
  const pointsOf = line => {
    const matrix = line.getScreenCTM();
    const steps = Array.from({ length: Math.floor(line.getTotalLength()) + 1 }, (_, along) => along);
    const points = steps.map(along => line.getPointAtLength(along).matrixTransform(matrix));
    return { name: line.getAttribute('class'), points };
  };
  document.querySelectorAll('#wall svg').forEach(chart => {
    const texts = [...chart.querySelectorAll('text')].filter(isSeen);
    const svg = chart.getBoundingClientRect();
    const drawn = texts.length ? [...chart.querySelectorAll('line, polyline')].map(pointsOf) : [];
    texts.forEach(text => {
      const box = text.getBoundingClientRect();
      if (box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1) {
        found.push(`${name(text)} leaves its chart`);
      }
      const top = box.top + box.height * 0.2;
      const bottom = box.bottom - box.height * 0.25;
      const isIn = point => point.x > box.left && point.x < box.right && point.y > top && point.y < bottom;
      drawn.filter(line => line.points.some(isIn))
        .forEach(line => found.push(`${name(text)} lies on a ${line.name}`));
    });
  });
  const lines = selector => {
    const node = document.querySelector(selector);
    return new Set(boxesOf(node).filter(one => one.box.width).map(one => Math.round(one.box.top))).size;
  };
  if (lines('#wall .clock') > 1) found.push('the clock wraps');
  const foot = document.querySelector('#wall .foot');
  if (foot.scrollWidth > foot.clientWidth + 1) found.push('the footer is cut');
  if (lines('#wall .foot .word') > 1 || lines('#wall .foot .measured') > 1) found.push('the footer wraps');
  document.querySelectorAll('#wall .inner, #wall .facts, #wall .title').forEach(node => {
    const isCut = node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight * 1.3;
    if (isSeen(node) && isCut) {
      found.push(`${name(node)} is cut`);
    }
  });
  return [...new Set(found)];
}"""
_USED: Final = """() => {
  const view = document.querySelector('#wall .body').getBoundingClientRect();
  const boxes = [...document.querySelectorAll('#wall .body p, #wall .body span, #wall .body svg')]
    .filter(node => !node.closest('.speech'))
    .map(node => node.getBoundingClientRect()).filter(box => box.width && box.height);
  const most = side => Math.max(...boxes.map(box => box[side]));
  const least = side => Math.min(...boxes.map(box => box[side]));
  const span = (from, to) => most(to) - least(from);
  return Math.max(span('left', 'right') / view.width, span('top', 'bottom') / view.height);
}"""


_TRIES: Final = 20


def faults_of(page: Page) -> list[str]:
    """What lies on something else, is cut or leaves its place, as sentences; empty: all is well."""
    at_rest(page)
    found: list[str] = page.evaluate(_FOUND)
    for _ in range(_TRIES):
        if not found:
            break
        page.wait_for_timeout(100)  # what is counted and its age go on meanwhile
        found = page.evaluate(_FOUND)
    return found


def used_room(page: Page) -> float:
    """The part of the room's width or height, whichever is fuller, that is used by what a view shows."""
    used: float = page.evaluate(_USED)
    return used
