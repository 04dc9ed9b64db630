from __future__ import annotations

import subprocess
from pathlib import Path

import playwright
import pytest

from screens.minified import minified_script, minified_style

NODE = Path(playwright.__file__).parent / "driver" / "node"
PROGRAM = b"""
/* A block. */
var words = { count: "the count // is", other: '/* other */' };
function sumOf(count, other) {
  var label = count + +other; // a comment
  return { label: label, count: count, whole: label - -count };
}
var pattern = /count \\/ other/;
[1, 2].forEach(function (count) {
  try {
    throw count;
  } catch (error) {
    var sum = sumOf(count, "3");
    console.log(sum.label, sum.count, sum.whole, error, pattern.test("count / other"), words);
  }
});
const pairs = [3].map((value) => ({ value, double: 2 * value })).map(single => single.value + single.double);
console.log(pairs[0] ? pairs[0] : label);
"""


def printed(script: bytes) -> str:
    return subprocess.run(
        [str(NODE), "-"], input=script, capture_output=True, check=True, text=False
    ).stdout.decode()


def test_a_minified_script_does_what_its_source_does() -> None:
    short = minified_script(PROGRAM)
    assert printed(short) == printed(PROGRAM)
    assert len(short) < 0.75 * len(PROGRAM)


def test_names_of_the_browser_and_of_properties_stay() -> None:
    short = minified_script(
        b"var clock = performance.now(); window.clock = { clock: clock, at: fetch };"
    ).decode()
    assert short == "var a=performance.now();window.clock={clock:a,at:fetch};"


def test_a_name_that_is_written_as_a_property_too_stays() -> None:
    assert minified_script(b"function f(shown) { return { shown }; }") == b"function a(shown){return{shown};}"


def test_what_is_no_javascript_is_refused() -> None:
    with pytest.raises(ValueError, match="no JavaScript"):
        minified_script(b"var = ;")


def test_a_style_keeps_what_a_browser_reads() -> None:
    style = b"/* why */\n.a > .b {\n  width: calc(1px + 2vmin);\n  content: '  ';\n}\n"
    assert minified_style(style) == b".a>.b{width:calc(1px + 2vmin);content:'  '}"
