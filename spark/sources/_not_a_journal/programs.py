"""Source code and settings of programs, by their names: a repository may hold a journal among them."""

from __future__ import annotations

from pathlib import PurePosixPath

from spark.sources._not_a_journal.words import Identified, dump

LANGUAGES = {
    "Java": ".java",
    "Kotlin": ".kt .kts",
    "Scala": ".scala .sbt",
    "Groovy": ".groovy .gradle",
    "Python": ".py .pyi .ipynb",
    "Go": ".go .mod .sum",
    "Rust": ".rs",
    "C or C++": ".c .h .cc .cpp .hpp",
    "C#": ".cs .csproj .sln",
    "JavaScript or TypeScript": ".js .mjs .cjs .jsx .ts .tsx .vue",
    "Ruby": ".rb",
    "PHP": ".php",
    "Elixir or Erlang": ".ex .exs .erl",
    "shell": ".sh .bash .bat .cmd .ps1",
    "SQL": ".sql",
    "Terraform": ".tf .tfvars",
    "CSS": ".css .scss",
}
CODE = {suffix: language for language, suffixes in LANGUAGES.items() for suffix in suffixes.split()}
SETTINGS = {
    ".toml",
    ".ini",
    ".cfg",
    ".conf",
    ".env",
    ".lock",
    ".editorconfig",
    ".service",
    ".yml",
    ".yaml",
    ".xml",
    ".properties",
}
FILES = {
    **dict.fromkeys(
        ("Dockerfile", "Containerfile", "Makefile", "Jenkinsfile", "Vagrantfile", "Procfile"),
        "instructions for a build",
    ),
    **dict.fromkeys(
        ("package.json", "package-lock.json", "tsconfig.json", "composer.json", "launch.json"),
        "settings of a program",
    ),
    **dict.fromkeys(
        (".gitignore", ".gitattributes", ".dockerignore", ".env", "requirements.txt", "go.mod"),
        "settings of a program",
    ),
    **dict.fromkeys(("LICENSE", "LICENSE.txt", "NOTICE", "NOTICE.txt"), "a license"),
}


def is_program(name: str) -> bool:
    """Whether a file name is that of code, or of a program's settings."""
    path = PurePosixPath(name)
    return path.name in FILES or path.suffix.lower() in CODE


def identify_by_name(path: PurePosixPath) -> Identified | None:
    """Source code, or a file that a build or an editor reads."""
    if path.name in FILES:
        return Identified(FILES[path.name], dump())
    language = CODE.get(path.suffix.lower())
    return Identified(f"source code ({language})", dump()) if language else None


def of_settings(path: PurePosixPath) -> Identified | None:
    if path.suffix.lower() in SETTINGS or path.name.lower() in SETTINGS:
        return Identified("a file with settings of a program", dump())
    return (
        Identified("a text (Markdown)", dump()) if path.suffix.lower() in {".md", ".rst", ".adoc"} else None
    )
