"""A loader of YAML 1.2 for PyYAML, which reads 1.1."""

import re

import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2, whose only words for truth are true and false."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:float",
                           "tag:yaml.org,2002:int",
                           "tag:yaml.org,2002:timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool",
                             re.compile(r"^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int",
                             re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"))
