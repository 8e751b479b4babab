"""What SARIF 2.1.0 says of the parts that labelguard writes, as a JSON schema; names that the format does not know are refused.

The whole schema is not part of this project. Where LABELGUARD_SARIF_SCHEMA names a copy of it, the tests hold every log against that too.
"""

from __future__ import annotations

from typing import Any


def known(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


def listed(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
URI = {"type": "string", "pattern": r"^([a-z]+:)?[A-Za-z0-9._~!$&'()*+,;=:@/%-]+$"}  # RFC 3986: nothing else without %XX
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = known("text", text=TEXT, markdown=TEXT)
BAG = {"type": "object", "properties": {"tags": listed(TEXT, uniqueItems=True)}}
NOTIFICATION = known("message", level=LEVEL, message=MESSAGE)
REGION = known("", startLine={"type": "integer", "minimum": 1})
LOCATION = known("", physicalLocation=known("artifactLocation", artifactLocation=known("uri", uri=URI, uriBaseId=TEXT), region=REGION))
RULE = known("id", id=TEXT, name=TEXT, shortDescription=MESSAGE, fullDescription=MESSAGE, help=MESSAGE,
             defaultConfiguration=known("", level=LEVEL), properties=BAG)
RESULT = known(
    "message", ruleId=TEXT, ruleIndex={"type": "integer", "minimum": -1}, level=LEVEL, message=MESSAGE, locations=listed(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT}, properties=BAG,
    suppressions=listed(known("kind", kind={"enum": ["inSource", "external"]}, justification=TEXT), uniqueItems=True),
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]})
RUN = known(
    "tool", tool=known("driver", driver=known("name", name=TEXT, semanticVersion=TEXT, rules=listed(RULE, uniqueItems=True))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": known("", uri={**URI, "pattern": r"^file:///.*/$"})},
    invocations=listed(known("executionSuccessful", executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"},
                             toolExecutionNotifications=listed(NOTIFICATION))),
    results=listed(RESULT))
SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **known("version runs", **{"$schema": URI}, version={"const": "2.1.0"}, runs=listed(RUN, minItems=1)),
}
