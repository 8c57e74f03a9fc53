// Describes what happens in Underworld: marks of the timeline, events and orders.
import type { Frame, Header } from '../../rules/types';
import { type Mark, nameOf, type OrderLine, type Scene } from '../game';
import { type Extra, NAMES, type Order, type State, WAYS } from './state';

/** An event with the players' names; the record numbers them from 0. */
export function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/^player (\d+)\b/, (_, number) => nameOf(header, Number(number)));
}

export function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  const { fallen } = scene.extra as Extra;
  const found: Mark[] = [];
  const lost = new Map<number, number>();
  for (const { thing } of fallen)
    if (thing.kind === 'castle')
      found.push({
        kind: 'capture',
        player: thing.owner,
        text: `a castle of ${nameOf(header, thing.owner as number)} falls`,
      });
    else lost.set(thing.owner as number, (lost.get(thing.owner as number) ?? 0) + 1);
  for (const [player, count] of lost)
    found.push({
      kind: 'death',
      player,
      text: `${nameOf(header, player)} loses ${count === 1 ? 'one' : count}`,
    });
  state.players.forEach((player, i) => {
    if (was && player.lostInTurn !== null && was.players[i]?.lostInTurn === null)
      found.push({ kind: 'event', player: i, text: `${nameOf(header, i)} is eliminated` });
  });
  return found;
}

export function orderLine(order: Order): OrderLine {
  const way = WAYS[order.dir ?? ''];
  const at = { x: order.x + 0.5, y: order.y + 0.5 };
  return { text: words(order), at, ...(way ? { to: { x: at.x + way.x, y: at.y + way.y } } : {}) };
}

function words(order: Order): string {
  const at = `(${order.x},${order.y})`;
  const way = WAYS[order.dir ?? '']?.name ?? order.dir;
  if (order.command === 'move') return `move the warrior at ${at} ${way}`;
  if (order.command === 'spawn') return `spawn a warrior ${way} of the barracks at ${at}`;
  return `build a ${NAMES[order.obj ?? ''] ?? order.obj} at ${at}`;
}
