/** The fewest transfers that settle balances, chosen as the daemon chooses them; see `Settlement.swift`. */

/** The most people for whom the number of transfers is minimal; each further person doubles the time. */
const MOST = 12;

/** @param {bigint} one @param {bigint} other */
const less = (one, other) => (one < other ? one : other);

/**
 * Returns transfers, the largest first, that bring all balances to zero.
 * @param {{one: any, minor: bigint}[]} balances in the order of the members; they add up to zero
 * @returns {{from: any, to: any, minor: bigint}[]}
 */
export function transfersOf(balances) {
  let open = balances.filter(({ minor }) => minor).map((each) => ({ ...each }));
  const isExact = open.length <= MOST;
  const transfers = [];
  while (open.length > 1) {
    const best = largest(open, isExact ? groupsOf(open.map(({ minor }) => minor)) : null);
    if (!best) break;
    const [from, to] = [open[best.from], open[best.to]];
    transfers.push({ from: from.one, to: to.one, minor: best.minor });
    from.minor += best.minor;
    to.minor -= best.minor;
    open = open.filter(({ minor }) => minor);
  }
  return transfers;
}

/**
 * Returns the largest transfer between two people, of equal ones the first: between any two, or between two who share a
 * group or whose balances cancel each other.
 * @param {{minor: bigint}[]} open
 * @param {number[] | null} together for each person, the set of those who share a group with them
 */
function largest(open, together) {
  let best = /** @type {{from: number, to: number, minor: bigint} | null} */ (null);
  open.forEach((giver, from) => open.forEach((taker, to) => {
    if (giver.minor >= 0n || taker.minor <= 0n) return;
    const minor = less(-giver.minor, taker.minor);
    if (minor <= (best?.minor ?? 0n)) return;
    if (!together || -giver.minor === taker.minor || together[from] & (1 << to)) best = { from, to, minor };
  }));
  return best;
}

/**
 * Returns for each person the set of people who share a group with them in one of the partitions into the most groups
 * whose balances add up to zero. All sets are bit masks.
 * @param {bigint[]} balances
 */
function groupsOf(balances) {
  const all = (1 << balances.length) - 1;
  const sums = [0n];
  const most = [0];
  for (let set = 1; set <= all; set++) {
    const lowest = 31 - Math.clz32(set & -set);
    sums[set] = sums[set & (set - 1)] + balances[lowest];
    let best = 0;
    for (let rest = set; rest; rest &= rest - 1) best = Math.max(best, most[set & ~(rest & -rest)]);
    most[set] = best + (sums[set] ? 0 : 1);
  }
  const together = balances.map(() => 0);
  for (let set = 1; set <= all; set++) {
    if (sums[set] || most[all & ~set] + 1 !== most[all]) continue;
    balances.forEach((_, person) => { if (set & (1 << person)) together[person] |= set; });
  }
  return together;
}
