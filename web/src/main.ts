// The entry point of the pages. Pages under /embed/ are for frames on other sites and have neither
// header nor session. The viewer on an author's machine is a single page.
import { mount } from 'svelte';

import App from './app/App.svelte';
import { startRouter } from './app/router.svelte';
import { loadSession } from './app/session.svelte';
import { isLocal } from './viewer/local';
import './app/style.css';

const target = document.getElementById('app') as HTMLElement;

if (isLocal)
  void import('./viewer/Local.svelte').then(({ default: Local }) => mount(Local, { target }));
else if (location.pathname.startsWith('/embed/'))
  void import('./viewer/Embed.svelte').then(({ default: Embed }) => mount(Embed, { target }));
else {
  startRouter();
  void loadSession();
  mount(App, { target });
}
