// Where the pages begin.
import { mount } from 'svelte';

import App from './app/App.svelte';
import { startRouter } from './app/router.svelte';
import { lookWhoIsIn } from './app/session.svelte';
import './app/style.css';

startRouter();
void lookWhoIsIn();
mount(App, { target: document.getElementById('app') as HTMLElement });
