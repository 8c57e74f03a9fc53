// Light or dark: the system setting, until the visitor chooses.
const stored = localStorage.getItem('theme');
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = $state<{ dark: boolean }>({
  dark: stored ? stored === 'dark' : system.matches,
});

function show(): void {
  document.documentElement.dataset.theme = theme.dark ? 'dark' : 'light';
}

system.addEventListener('change', () => {
  if (localStorage.getItem('theme')) return;
  theme.dark = system.matches;
  show();
});

export function switchTheme(): void {
  theme.dark = !theme.dark;
  localStorage.setItem('theme', theme.dark ? 'dark' : 'light');
  show();
}

show();
