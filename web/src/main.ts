// The entry point of the pages.
import { mount } from 'svelte';

import App from './app/App.svelte';
import { startRouter } from './app/router.svelte';
import { loadSession } from './app/session.svelte';
import './app/style.css';

startRouter();
void loadSession();
mount(App, { target: document.getElementById('app') as HTMLElement });
