// What eslint checks in addition to types (svelte-check) and layout (prettier).
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['dist/', 'test-results/'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      eqeqeq: 'error',
      // Each game has its own types for views and orders; the pages pass them on unread.
      '@typescript-eslint/no-explicit-any': 'off',
      // Most maps and sets are local to a computation. State that changes uses runes.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      'prefer-const': 'off', // it does not know $props
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
    },
  },
  {
    // svelte-check reports unknown and unused names, and knows the types.
    files: ['**/*.ts', '**/*.svelte'],
    rules: { 'no-undef': 'off', '@typescript-eslint/no-unused-vars': 'off' },
  },
);
