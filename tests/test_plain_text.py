"""What Streamlit reads as Markdown is ours, or escaped: every call of it in the source is looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    [ROOT / "dashboard.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "components").rglob("*.py")]
)

SHOW_MARKDOWN = frozenset(
    {
        "markdown", "write", "write_stream", "caption", "title", "header", "subheader", "text_area",
        "text_input", "number_input", "date_input", "time_input", "datetime_input", "chat_input",
        "checkbox", "toggle", "radio", "pills", "segmented_control", "feedback", "selectbox",
        "multiselect", "slider", "select_slider", "color_picker", "file_uploader", "camera_input",
        "audio_input", "button", "download_button", "link_button", "page_link", "form_submit_button",
        "popover", "expander", "status", "spinner", "progress", "tabs", "error", "warning", "info",
        "success", "exception", "toast", "metric", "badge", "image", "Page", "dialog", "html", "latex",
    }
)  # fmt: skip
"""Methods of `st` and of its containers that show their texts as Markdown, or as HTML."""
OF_STREAMLIT = frozenset(f"st.{name}" for name in SHOW_MARKDOWN)
ALL_ARE_TEXTS = frozenset({"metric", "write", "radio", "pills", "segmented_control"})
"""Those of them of which every argument by place is a text; of the others the first is."""
TEXT_KEYWORDS = frozenset({"label", "body", "text", "title", "caption", "icon", "delta"})
"""Arguments by name that are texts; `help` is one wherever it is given."""
ESCAPES = frozenset({"plain", "plain_name", "plain_sentences", "code", "the_rest", "len"})
"""What gives Markdown of ours, whatever it is given."""

OF_OURS = {
    "dashboard.py: one.name": "A name of a table of ours.",
    "dashboard.py: one.title": "A name of the same table.",
    "dashboard.py: one.icon": "An icon of the same table.",
    "connection.py: WORDS[trouble.state].icon": "An icon of a table of ours.",
    "connection.py: value": "Each is escaped in the table above it, where addresses become code.",
    "page_parts.py: label": "Each page gives a literal.",
    "page_parts.py: icon": "Each page gives a literal.",
    "screen_preview.py: label": "Words of ours and how many views there are.",
    "screen_preview.py: kind.facts.label": "A name of a table of ours.",
    "screen_preview.py: kind.facts.purpose": "A sentence of the same table.",
    "screen_link.py: link_code(link)": "A picture: an SVG of squares and of nothing else.",
    "site_editor.py: sketch": "A picture: an SVG in which every word is escaped.",
    "screen_list.py: one.label": "A label of the confirmations, a table in the same file.",
    "screen_list.py: one.icon": "An icon of the same table.",
    "screen_list.py: one.asked_of(screen)": "A sentence of the same table.",
    "screen_editor.py: label": "Each caller in the file gives a literal or an entry of a table of ours.",
    "optional_number.py: label": "Callers give literals and entries of a table of ours.",
    "screen_editor.py: icon": "Each caller in the file gives a literal.",
    "tour_bar.py: label": "Each caller in the file gives a literal.",
    "tour_bar.py: f':material/{icon}:'": "Each caller in the file gives a literal.",
    "target_panel.py: part": "A number: how much of a bar is filled.",
    "screen_editor.py: round_sentence(turns)": "Words of ours and numbers of seconds.",
}
"""File and expression -> why it needs no escape. What a service or a link says has no place here."""


class Module:
    """One source file: which of its expressions give texts of ours."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.tree = ast.parse(text)
        self.functions = {
            node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)
        }
        self.scope_of = {
            inner: function for function in self.functions.values() for inner in ast.walk(function)
        }
        self.asked: set[str] = set()

    def offences(self) -> Iterator[str]:
        called = {node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and draws(node.module or ""):
                yield f"{self.path.name}:{node.lineno} hides that a call is Streamlit's"
            if isinstance(node, ast.Attribute) and node not in called and ast.unparse(node) in OF_STREAMLIT:
                yield f"{self.path.name} calls {ast.unparse(node)} by another name"
            if isinstance(node, ast.Call):
                for text in texts_of(node):
                    if not self.is_safe(text):
                        yield f"{self.path.name}:{node.lineno} shows {ast.unparse(text)} unescaped"

    def is_safe(self, node: ast.expr | None) -> bool:
        if node is None or isinstance(node, ast.Constant) or self._is_exempt(node):
            return True
        if isinstance(node, ast.Call):
            return self._is_safe_call(node)
        if isinstance(node, ast.Name):
            return node.id.isupper() or self._is_safe_variable(node)
        if isinstance(node, ast.Subscript | ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id.isupper()
        parts = parts_of(node)
        return (bool(parts) or isinstance(node, ast.List)) and all(map(self.is_safe, parts))

    def _is_exempt(self, node: ast.expr) -> bool:
        name = f"{self.path.name}: {ast.unparse(node)}"
        if name in OF_OURS:
            self.asked.add(name)
        return name in OF_OURS

    def _is_safe_call(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name) if name in ESCAPES:
                return True
            case ast.Name(id=name) if name in self.functions:
                returned = [n for n in ast.walk(self.functions[name]) if isinstance(n, ast.Return)]
                return all(self.is_safe(one.value) for one in returned)
            case ast.Attribute(value=ast.Constant(), attr="join"):
                return all(map(self.is_safe, call.args))
        return False

    def _is_safe_variable(self, name: ast.Name) -> bool:
        """Whether all that the function puts into the variable is; parameters and loop variables are not."""
        scope = self.scope_of.get(name)
        if scope is None:
            return False
        put = [value for node in ast.walk(scope) for value in put_into(node, name.id)]
        return bool(put) and all(value is not name and self.is_safe(value) for value in put)


def draws(module: str) -> bool:
    """Whether what is of this module may show a text: all of Streamlit's but what it keeps of a session."""
    return module.split(".", maxsplit=1)[0] == "streamlit" and not module.startswith("streamlit.runtime.")


def parts_of(node: ast.expr) -> list[ast.expr]:
    """What a text is put together from."""
    match node:
        case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts):
            return parts
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, op=ast.Add(), right=other):
            return [one, other]
        case ast.FormattedValue(value=one) | ast.Starred(value=one) | ast.ListComp(elt=one):
            return [one]
        case ast.GeneratorExp(elt=one):
            return [one]
    return []


def put_into(node: ast.AST, name: str) -> list[ast.expr]:
    """What a statement puts into the variable; an unknown one where that cannot be told."""
    match node:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return [value]
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
            return [value]
        case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
            return [value]
        case ast.Call(func=ast.Attribute(value=ast.Name(id=target))) if target == name:
            return node.args
    return [ast.Name(id="")] if name in other_targets(node) else []


def other_targets(node: ast.AST) -> set[str]:
    """Names that a loop, a parameter, a `with` or an unpacking gives a value."""
    match node:
        case ast.arg(arg=name):
            return {name}
        case ast.For(target=target) | ast.comprehension(target=target):
            return names(target)
        case ast.Assign(targets=targets):
            return set().union(*map(names, targets))
        case ast.withitem(optional_vars=ast.expr() as target) | ast.NamedExpr(target=target):
            return names(target)
    return set()


def names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def texts_of(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that Streamlit would render."""
    found = [keyword.value for keyword in call.keywords if keyword.arg == "help"]
    if isinstance(call.func, ast.Attribute) and call.func.attr in SHOW_MARKDOWN:
        found += call.args if call.func.attr in ALL_ARE_TEXTS else call.args[:1]
        found += [keyword.value for keyword in call.keywords if keyword.arg in TEXT_KEYWORDS]
    return found


@cache
def looked_at(source: Path) -> tuple[Module, list[str]]:
    """What is asked of it is noted in the module."""
    module = Module(source, source.read_text(encoding="utf-8"))
    return module, list(module.offences())


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_text_that_streamlit_renders_is_ours_or_escaped(source: Path) -> None:
    _, offences = looked_at(source)
    assert offences == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_no_answer_of_several_sentences_is_cut_as_a_message_is(source: Path) -> None:
    module, _ = looked_at(source)
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
    joined = [
        ast.unparse(call)
        for call in calls
        if source.name != "plain_text.py"
        and ast.unparse(call.func) == "plain"
        and ast.unparse(call.args[0]).startswith("' '.join(")
    ]
    assert [one for one in joined if "trouble.meaning" not in one] == [], (
        "`plain_sentences` is for these; an error of a service may be cut"
    )


def test_no_exemption_is_kept_that_nothing_needs() -> None:
    asked = (module.asked for module, _ in map(looked_at, SOURCES))
    assert set().union(*asked) == set(OF_OURS)


@pytest.mark.parametrize(
    "line",
    [
        "st.info(f'None matches {search}')",
        "st.caption(site.category)",
        "st.tabs([one.label for one in asked])",
        "column.metric('Lag', site.name)",
        "st.button('Save', help=site.name)",
        "words = 'a'\n    words += site.name\n    st.error(words)",
        "said = ['a']\n    said.append(site.name)\n    st.write(' '.join(said))",
        "for text in texts:\n        st.markdown(text)",
        "show = st.markdown",
        "from streamlit import markdown",
        "st.html(text)",
        "st.column_config.NumberColumn('Inside', help=site.name)",
    ],
)
def test_a_text_that_is_not_escaped_is_found(line: str) -> None:
    source = f"def page(site, search, asked, texts):\n    {line}\n"
    assert list(Module(Path("page.py"), source).offences())


@pytest.mark.parametrize(
    "line",
    [
        "st.info('None matches')",
        "st.caption(plain(site.category) if site.category else UNKNOWN)",
        "st.caption(LABELS[site.kind])",
        "said = [plain(one) for one in site.names]\n    st.write(' '.join(said))",
        "st.tabs([plain(one.label) for one in asked])",
    ],
)
def test_a_text_that_is_escaped_or_ours_passes(line: str) -> None:
    assert list(Module(Path("page.py"), f"def page(site, asked):\n    {line}\n").offences()) == []
