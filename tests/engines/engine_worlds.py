"""Small graphs as edge tables, and what is true of them by counting everything."""

from itertools import combinations

import networkx as nx
import numpy as np


def random_graph(n, p, seed, hubs=0):
    """Pairs of a random graph, some vertices joined to half of the others."""
    draw = np.random.default_rng(seed)
    pairs = {(u, v) for u, v in combinations(range(n), 2) if draw.random() < p}
    for hub in range(hubs):
        pairs |= {tuple(sorted((hub, int(v)))) for v in draw.permutation(n)[: n // 2] if v != hub}
    return sorted(pairs)


def table(pairs, seed=0):
    """Both directions, repetitions and loops: what a table of edges looks like."""
    draw = np.random.default_rng(seed)
    rows = [pair if draw.random() < 0.5 else pair[::-1] for pair in pairs]
    rows += [pair[::-1] for pair in rows[::3]] + [(u, u) for u, _ in rows[::5]]
    order = draw.permutation(len(rows))
    return {"from": [rows[i][0] for i in order], "to": [rows[i][1] for i in order]}


def cliques_at(pairs, n, size):
    """Cliques of `size` vertices through each vertex, from the maximal ones of networkx."""
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(n))
    found = {tuple(sorted(c)) for m in nx.find_cliques(graph) for c in combinations(m, size)}
    return [sum(v in c for c in found) for v in range(n)]


def stairs(pairs, n):
    """The Pareto-optimal (a, σ) over pairs with a common neighbour, by brute force."""
    near = [set() for _ in range(n)]
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)
    points = set()
    for u, v in combinations(range(n), 2):
        a = len(near[u] & near[v])
        if a:
            points.add((a, len(near[u]) + len(near[v]) - 2 * (v in near[u])))
    return sorted(p for p in points if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in points))
