// All pages and their addresses. The parameters of a pattern are passed to the page as props.
import type { Route } from './router.svelte';

export const routes: Route[] = [
  { pattern: '/', page: () => import('../pages/Home.svelte') },
  { pattern: '/games', page: () => import('../pages/Games.svelte') },
  { pattern: '/games/:game', page: () => import('../pages/Game.svelte') },
  { pattern: '/matches', page: () => import('../pages/Matches.svelte') },
  { pattern: '/matches/:match', page: () => import('../pages/Match.svelte'), wide: true },
  { pattern: '/compare', page: () => import('../pages/CompareMatches.svelte'), wide: true },
  { pattern: '/bots', page: () => import('../pages/Bots.svelte') },
  { pattern: '/bots/:owner/:bot', page: () => import('../pages/Bot.svelte') },
  {
    pattern: '/bots/:owner/:bot/against/:otherOwner/:other',
    page: () => import('../pages/HeadToHead.svelte'),
  },
  { pattern: '/people/:person', page: () => import('../pages/Person.svelte') },
  { pattern: '/tournaments', page: () => import('../pages/Tournaments.svelte') },
  { pattern: '/tournaments/:tournament', page: () => import('../pages/Tournament.svelte') },
  { pattern: '/editor', page: () => import('../editor/Editor.svelte'), wide: true },
  { pattern: '/play', page: () => import('../play/Play.svelte') },
  { pattern: '/replay', page: () => import('../pages/Replay.svelte') },
  { pattern: '/docs', page: () => import('../pages/Docs.svelte') },
  { pattern: '/docs/:document', page: () => import('../pages/Docs.svelte') },
  { pattern: '/docs/:folder/:document', page: () => import('../pages/Docs.svelte') },
  { pattern: '/login', page: () => import('../pages/Login.svelte') },
  { pattern: '/account', page: () => import('../pages/Account.svelte') },
  { pattern: '/admin', page: () => import('../pages/Admin.svelte') },
];
