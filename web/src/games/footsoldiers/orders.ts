// Describes what happens in Footsoldiers: marks of the timeline, events and orders.
import type { Frame, Header } from '../../rules/types';
import { type Mark, nameOf, type OrderLine, type Scene } from '../game';
import { centre, type Extra, formatSquare, type Order, sideOf, type State } from './state';

/** "a tank", "an assassin". */
export function withArticle(type: string): string {
  return `${/^[aeiou]/i.test(type) ? 'an' : 'a'} ${type.toLowerCase()}`;
}

/** An event with the players' names. */
export function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/\bplayer([12])\b/g, (_, number) => nameOf(header, Number(number) - 1));
}

export function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const found: Mark[] = [];
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  for (const { thing } of (scene.extra as Extra).fallen)
    found.push({
      kind: 'death',
      player: thing.owner,
      text: `${withArticle(thing.kind)} of ${nameOf(header, thing.owner as number)} falls`,
    });
  for (const player of [0, 1]) {
    const [now, then] = [sideOf(state, player).health, was ? sideOf(was, player).health : null];
    if (then === null || now === then) continue;
    if (now === 0)
      found.push({
        kind: 'capture',
        player: 1 - player,
        text: `the base of ${nameOf(header, player)} is destroyed`,
      });
    else
      found.push({
        kind: 'event',
        player: 1 - player,
        text: `the base of ${nameOf(header, player)} is hit: ${now} left`,
      });
  }
  return found;
}

export function orderLine(order: Order): OrderLine {
  return {
    text: words(order),
    ...(order.position ? { at: centre(order.position) } : {}),
    ...(order.destination ? { to: centre(order.destination) } : {}),
  };
}

function words(order: Order): string {
  const at = order.position ? formatSquare(order.position) : '';
  const to = order.destination ? formatSquare(order.destination) : '';
  if (order.command === 'Build')
    return (
      `build ${withArticle(order.type ?? '')} at ${at}, destination ${to}, ` +
      `facing ${order['attack-direction']?.toLowerCase()}`
    );
  if (order.command === 'Move') return `send the soldier at ${at} to ${to}`;
  if (order.command === 'Change attack direction')
    return `turn the soldier at ${at} to face ${order['attack-direction']?.toLowerCase()}`;
  return 'do nothing';
}
