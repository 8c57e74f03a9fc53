// Describes what happens in Planet Wars: marks of the timeline, events and orders.
import type { Frame, Header } from '../../rules/types';
import { type Mark, nameOf, type OrderLine, type Scene } from '../game';
import { type Extra, type Move, placeIn, ships, type Sky, type State } from './state';

/** An event with the players' names. */
export function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/\bplayer (\d+)\b/g, (_, number) => nameOf(header, Number(number) - 1));
}

export function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  const { fights } = scene.extra as Extra;
  const found: Mark[] = [];
  for (const fight of fights)
    if (fight.taken)
      found.push({
        kind: 'capture',
        player: fight.owner,
        text:
          fight.owner === null
            ? `${fight.planet} is neutral now`
            : `${nameOf(header, fight.owner)} takes ${fight.planet}`,
      });
  state.players.forEach((player, i) => {
    if (was && player.died !== null && was.players[i]?.died === null)
      found.push({ kind: 'death', player: i, text: `${nameOf(header, i)} is eliminated` });
  });
  return found;
}

export function orderLine(sky: Sky, move: Move): OrderLine {
  return {
    text: `${ships(move.ship_count)} from ${move.origin} to ${move.destination}`,
    at: placeIn(sky, move.origin),
    to: placeIn(sky, move.destination),
  };
}
