"""How Sphinx builds the site: ``make docs``. Nothing in it comes from a network, and a warning is an error."""

import sys
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl

import condmmd

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "extensions"))
mpl.use("Agg")

project = "condmmd"
author = "The condmmd developers"
project_copyright = "the condmmd developers; MIT licence"
version = release = condmmd.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "anchors",
    "mathml",
    "pages",
    "drawn",
]
templates_path = ["templates"]
# Copied by `pages`, or for those who read the sources where they are kept.
exclude_patterns = [
    "overview.md",
    "report.md",
    "decisions",
    "extensions",
    "pictures",
    "templates",
    "gallery",
    "generated/pictures",
    "**/README.md",
]
nitpicky = True
# What is not ours to document: annotations of other libraries, and names inside the package that are no one's door.
nitpick_ignore_regex = [("py:.*", r"(?!condmmd\.).*"), ("py:class", r"condmmd\..*")]
default_role = "autolink"  # `cmmd` in a docstring is a link if there is such a name
numfig = False
math_numfig = False

# Text
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"  # by docutils, when the site is built: no script and no font has to be loaded

# Reference
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# Gallery
NEEDS = {"plot_training_with_the_loss.py": "torch"}
absent = [name.removesuffix(".py") for name, package in NEEDS.items() if find_spec(package) is None]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"plot_",
    "ignore_pattern": "|".join([r"__init__\.py", *absent]),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,  # its page loads scripts from a network
    "show_signature": False,
    "plot_gallery": True,
    "remove_config_comments": True,
    "default_thumb_file": str(HERE / "picture.png"),
    "backreferences_dir": None,
    "reset_modules": ("matplotlib",),
    "matplotlib_animations": False,
    "reference_url": {"condmmd": None},
    "doc_module": ("condmmd",),
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "condmmd"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "condmmd"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "use_edit_page_button": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {page: [] for page in ("index", "start", "doors", "glossary", "cite")}
