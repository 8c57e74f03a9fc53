// Builds the pages into dist/. In development (`npm run dev`), API requests go to an arena on
// localhost:3000.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

import { brotli } from './brotli-plugin.js';
import { documents } from './docs-plugin.js';

export default defineConfig({
  plugins: [svelte(), documents('../docs'), brotli()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows no data: scripts or styles
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': process.env.ARENA ?? 'http://localhost:3000' },
    fs: { allow: ['..'] },
  },
});
