// The entry point of the pages. Below /embed/ are pages for frames of other sites, which have
// neither header nor session.
import { mount } from 'svelte';

import App from './app/App.svelte';
import { startRouter } from './app/router.svelte';
import { loadSession } from './app/session.svelte';
import './app/style.css';

const target = document.getElementById('app') as HTMLElement;

if (location.pathname.startsWith('/embed/'))
  void import('./viewer/Embed.svelte').then(({ default: Embed }) => mount(Embed, { target }));
else {
  startRouter();
  void loadSession();
  mount(App, { target });
}
