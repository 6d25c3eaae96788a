import numpy as np

from dpselect.problems.graph.costars import costars
from dpselect.problems.graph.triangles import local_sensitivity_triangles, triangles_per_vertex


def test_facts_of_the_provenance_page():
    graph = costars()
    counts = triangles_per_vertex(graph)
    first, second = np.argsort(counts)[-2:][::-1]
    assert (graph.n, graph.tails.size) == (5_644, 170_189)
    assert (counts[first], counts[second]) == (39_200, 33_260)
    assert (graph.vertices[first], graph.vertices[second]) == ("Franklyn Farnum", "Bess Flowers")
    assert local_sensitivity_triangles(graph) == 514
    assert not graph.vertices_from_data
