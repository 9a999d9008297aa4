"""Names are documented as ``condmmd.Size``, and pages of sources link to where they are defined: both lead there."""

from importlib import import_module

from sphinx import addnodes

__all__ = ["setup"]


def add_anchors(_app, document):
    """A second anchor on the signature of what was defined elsewhere than it is documented."""
    for signature in document.findall(addnodes.desc_signature):
        module, name = signature.get("module"), signature.get("fullname")
        if not (module and name and signature["ids"]):
            continue
        owner = getattr(import_module(module), name.partition(".")[0], None)
        whole = f"{getattr(owner, '__module__', module)}.{name}"
        if whole not in signature["ids"]:
            signature["ids"].append(whole)


def setup(app):
    app.connect("doctree-read", add_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
