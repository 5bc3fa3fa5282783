#!/usr/bin/python3
"""Brings a newer ZooKeeper server from Maven Central into the build folder, for `scripts/test --full`.

usage: maven.py FOLDER [GROUP:ARTIFACT:VERSION…]

Prints a class path, for LOCKER_TEST_ZOOKEEPER_CLASSPATH: the jars named (by default ZooKeeper 3.9.5's
server) and all that they need. What is in FOLDER already is not fetched again.
"""

import argparse
import hashlib
import pathlib
import subprocess
import sys

# The server needs what follows it at run time, but does not declare it; the last one is for its log.
SERVER = (
    "org.apache.zookeeper:zookeeper:3.9.5",
    "io.dropwizard.metrics:metrics-core:4.1.12.1",
    "org.xerial.snappy:snappy-java:1.1.10.5",
    "org.slf4j:slf4j-simple:2.0.13",
)

PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>locker</groupId><artifactId>jars</artifactId><version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)


def fetch(folder, artifacts):
    """The class path of the artifacts and of what they need."""
    key = hashlib.sha256(" ".join(artifacts).encode()).hexdigest()[:12]
    jars, done = folder / key, folder / key / "complete"
    if not done.exists():
        jars.mkdir(parents=True, exist_ok=True)
        dependencies = "".join(DEPENDENCY.format(*each.split(":")) for each in artifacts)
        (jars / "pom.xml").write_text(PROJECT.format(dependencies=dependencies), encoding="utf-8")
        command = [
            "mvn", "-q", "-B", "-f", str(jars / "pom.xml"), "dependency:copy-dependencies",
            f"-DoutputDirectory={jars}", "-DincludeScope=runtime",
        ]
        subprocess.run(command, check=True, stdout=sys.stderr)
        done.write_text("", encoding="ascii")
    return ":".join(str(jar) for jar in sorted(jars.glob("*.jar")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("artifacts", nargs="*", default=list(SERVER))
    options = parser.parse_args()
    print(fetch(options.folder.resolve(), options.artifacts))


if __name__ == "__main__":
    main()
