// The turn in the address: #turn=N.

export function turnInAddress(): number | null {
  const turn = new URLSearchParams(location.hash.slice(1)).get('turn');
  return turn !== null && /^\d{1,9}$/.test(turn) ? Number(turn) : null;
}

/** Changes only the address bar; nothing on the page depends on it. */
export function writeTurn(turn: number): void {
  if (turnInAddress() === turn || (turn === 0 && turnInAddress() === null)) return;
  try {
    history.replaceState(history.state, '', `${location.pathname}${location.search}#turn=${turn}`);
  } catch {
    // Some browsers limit the rate; a later change will succeed.
  }
}
