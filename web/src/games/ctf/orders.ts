// Describes what happens in Capture the flag: marks of the timeline, events and orders.
import type { Frame, Header } from '../../rules/types';
import { type Mark, nameOf, type OrderLine, type Scene } from '../game';
import {
  centre,
  type Extra,
  formatSquare,
  type Order,
  playerOf,
  type State,
  type Team,
  WAYS,
} from './state';

/** An event with the players' names instead of the letters of their teams. */
export function readable(header: Header, _frame: Frame, text: string): string {
  const name = (letter: string): string => nameOf(header, playerOf(letter as Team));
  return text
    .replace(/(?<= the flag of )[AB]/, name)
    .replace(/: A (-?\d+) - B (-?\d+)$/, (_, a: string, b: string) =>
      [`: ${name('A')} ${a}`, `${name('B')} ${b}`].join(', '),
    );
}

export function marks(header: Header, scene: Scene): Mark[] {
  const found: Mark[] = [];
  const { captures } = scene.extra as Extra;
  for (const player of captures)
    found.push({
      kind: 'capture',
      player,
      text: `${nameOf(header, player)} captures the flag`,
    });
  for (const event of scene.frame.events) {
    const death = /^(\w) dies at (\S+):/.exec(event);
    const whose = (name: string | undefined): number | null => {
      const soldier = (scene.frame.state as State).soldiers.find((one) => one.name === name);
      return soldier ? playerOf(soldier.team) : null;
    };
    if (death) found.push({ kind: 'death', player: whose(death[1]), text: `${death[1]} dies` });
    const taken = /^(\w) (picks up|drops) the flag of ([AB])/.exec(event);
    if (taken)
      found.push({
        kind: 'event',
        player: whose(taken[1]),
        text: readable(header, scene.frame, taken[0]),
      });
  }
  return found;
}

export function orderLine(state: State, order: Order): OrderLine {
  const moves =
    order.move === 'S'
      ? `${order.soldier} stays`
      : `${order.soldier} moves ${WAYS[order.move] ?? order.move}`;
  const soldier = state.soldiers.find(({ name }) => name === order.soldier);
  return {
    text: order.throw ? `${moves} and throws at ${formatSquare(order.throw)}` : moves,
    ...(soldier ? { at: centre(soldier) } : {}),
    ...(order.throw ? { to: centre(order.throw) } : {}),
  };
}
