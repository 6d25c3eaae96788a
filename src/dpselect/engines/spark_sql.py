"""From the SQL of DuckDB to that of Spark, with the same meaning: every query is written once.

sqlglot translates the syntax. Where both engines know a function but mean different things, the tree is changed first:

    text as a number     Spark takes "1d", not "1_000" or "-nan": a pattern says what a number is, as DuckDB does
    text as a boolean    Spark trims blanks: the words are compared as they are
    SUM of integers      DuckDB widens to 128 bits, Spark wraps or raises at 64: the sum is a DECIMAL(38, 0)
    HUGEINT              DECIMAL(38, 0)
    ISINF                a comparison: Spark has none
    CONCAT               DuckDB passes over nulls: CONCAT_WS
    ROW_NUMBER           Spark wants an order, also where any will do: that of a column of the partition

The session also sets `spark.sql.ansi.enabled`, so that a cast that does not fit is an error on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from dpselect.errors import MissingExtra, UnsupportedProblem

_NUMBER: Final = (
    "[ \t\n\x0b\x0c\r]*[+-]?"
    "(nan|inf|infinity|([0-9](_?[0-9])*([.]([0-9](_?[0-9])*)?)?|[.][0-9](_?[0-9])*)(e[+-]?[0-9]+)?)"
    "[ \t\n\x0b\x0c\r]*"
)
_TRUE: Final = "'true', 't', 'yes', 'y', '1'"
_FALSE: Final = "'false', 'f', 'no', 'n', '0'"


def _sqlglot() -> Any:
    try:
        import sqlglot
    except ImportError:
        raise MissingExtra("Spark needs sqlglot: pip install 'dpselect[spark]'") from None
    return sqlglot


@lru_cache(maxsize=256)
def _parsed(query: str) -> Any:
    glot = _sqlglot()
    tree = glot.parse_one(query, read="duckdb")
    if not isinstance(tree, glot.exp.Query):
        raise UnsupportedProblem("this problem is not counted on Spark: it needs more than one query")
    return tree.transform(_same_meaning)


def spark_sql(query: str, names: Mapping[str, str]) -> str:
    """The query for Spark; `names` says what each table is called there.

    >>> spark_sql("SELECT UNNEST([a, b]) AS v FROM records", {"records": "there"})
    'SELECT EXPLODE(ARRAY(a, b)) AS v FROM there AS records'
    """
    glot = _sqlglot()

    def renamed(node: Any) -> Any:
        if isinstance(node, glot.exp.Table) and node.name in names:
            alias = node.alias or node.name
            return glot.exp.alias_(glot.exp.to_table(names[node.name]), alias, table=True)
        return node

    text: str = _parsed(query).transform(renamed).sql(dialect="spark")
    return text


def _same_meaning(node: Any) -> Any:
    exp = _sqlglot().exp
    if isinstance(node, exp.Cast) and node.to.is_type("INT128"):
        wide = node.copy()
        wide.set("to", exp.DataType.build("DECIMAL(38, 0)", dialect="spark"))
        return wide
    if isinstance(node, exp.TryCast) and not node.args.get("same"):
        if node.to.is_type("DOUBLE"):
            return _number(node.this)
        if node.to.is_type("BOOLEAN"):
            return _boolean(node.this)
    if isinstance(node, exp.IsInf):
        return _made("(ABS({x}) = CAST('Infinity' AS DOUBLE))", node.this)
    if isinstance(node, exp.Sum):
        return exp.Sum(this=exp.cast(node.this, exp.DataType.build("DECIMAL(38, 0)", dialect="spark")))
    if isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber) and not node.args.get("order"):
        node.set("order", exp.Order(expressions=[exp.Ordered(this=node.args["partition_by"][0].copy())]))
    if isinstance(node, exp.Concat):
        return exp.Anonymous(this="CONCAT_WS", expressions=[exp.Literal.string(""), *node.expressions])
    return node


def _made(template: str, x: Any) -> Any:
    """A piece of Spark SQL around an expression."""
    return _sqlglot().parse_one(template.replace("{x}", x.sql(dialect="spark")), read="spark")


def _number(x: Any) -> Any:
    exp = _sqlglot().exp
    lower = f"LOWER(CAST({x.sql(dialect='spark')} AS STRING))"
    text = _sqlglot().parse_one(lower, read="spark")
    plain = _sqlglot().parse_one(f"REGEXP_REPLACE({lower}, '_|[+-](?=nan)', '')", read="spark")
    cast = exp.TryCast(this=plain, to=exp.DataType.build("DOUBLE"), safe=True, same=True)
    return exp.Case().when(exp.RegexpLike(this=text, expression=exp.Literal.string(f"^{_NUMBER}$")), cast)


def _boolean(x: Any) -> Any:
    lower = f"LOWER(CAST({x.sql(dialect='spark')} AS STRING))"
    return _made(f"CASE WHEN {lower} IN ({_TRUE}) THEN TRUE WHEN {lower} IN ({_FALSE}) THEN FALSE END", x)
