"""A hook of mkdocs: each page has the path that it has in the project, so that one link serves a code host and mkdocs alike."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = (
    "*.md", "docs/*.md", "results/README.md", "figures/README.md", "passports/README.md", "plugins/*/README.md",
    "workflow/*/README.md",
)  # fmt: skip
SHOWN = ("docs/*.css", "docs/img/*.png")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The project's pages and pictures, and what the theme brings, in place of the files of docs/."""
    project = Path(config.config_file_path).parent
    pages = [path for pattern in PAGES + SHOWN for path in sorted(project.glob(pattern))]
    of_theme = [file for file in files if file.src_dir != config.docs_dir]
    return Files(
        [*of_theme, *(File.generated(config, str(page.relative_to(project)), abs_src_path=str(page)) for page in pages)]
    )
