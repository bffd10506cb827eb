"""Success rates against SciPy, and the published intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from contactlab.statistics import band, mcnemar, mean, wilson

TRIES = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(TRIES)
def test_wilson_is_scipys_at_the_same_quantile(tries):
    successes, n = tries
    theirs = binomtest(successes, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(successes, n, z=norm.ppf(0.975)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(TRIES)
def test_wilson_mirrors_when_successes_and_failures_swap(tries):
    successes, n = tries
    low, high = wilson(successes, n)
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(
    ("successes", "low", "high", "from_scipy"),
    [(2, "0.06", "0.51", "5.6e-06"), (10, "0.72", "1.00", "7.4e-06"), (0, "0.00", "0.28", "7.4e-06")],
)
def test_published_intervals_of_ten(successes, low, high, from_scipy):
    ours = wilson(successes, 10)
    assert (f"{ours[0]:.2f}", f"{ours[1]:.2f}") == (low, high)
    theirs = binomtest(successes, 10).proportion_ci(method="wilson")
    assert f"{max(abs(ours[0] - theirs.low), abs(ours[1] - theirs.high)):.1e}" == from_scipy


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_paired_test_is_scipys_test_of_a_fair_coin(gained, lost):
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1
    assert mcnemar(gained, lost) == mcnemar(lost, gained) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 10])
def test_where_every_pair_goes_one_way_only_two_series_of_throws_are_as_uneven(n):
    assert mcnemar(n, 0) == pytest.approx(2 / 2**n)


def test_no_number_of_pairs_is_refused():
    with pytest.raises(ValueError, match="-1 gained and 2 lost; allowed: 0 or more"):
        mcnemar(-1, 2)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 10), (11, 10)])
def test_no_success_rate_is_refused(successes, n):
    with pytest.raises(ValueError, match="allowed is 0 <= successes <= n"):
        wilson(successes, n)


def test_what_did_not_happen_takes_no_part():
    assert mean([1.0, None, 3.0]) == 2.0
    assert band([2.0, None, 1.0]) == (1.0, 2.0)
    assert mean([None]) is None
    assert band([]) is None
