// Light or dark: the system setting, until the visitor chooses.
const system = matchMedia('(prefers-color-scheme: dark)');

/** The visitor's choice. In a frame on another site, the browser may deny access to storage. */
function stored(): string | null {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

export const theme = $state<{ dark: boolean }>({
  dark: stored() ? stored() === 'dark' : system.matches,
});

function show(): void {
  document.documentElement.dataset.theme = theme.dark ? 'dark' : 'light';
}

system.addEventListener('change', () => {
  if (stored()) return;
  theme.dark = system.matches;
  show();
});

export function switchTheme(): void {
  theme.dark = !theme.dark;
  localStorage.setItem('theme', theme.dark ? 'dark' : 'light');
  show();
}

show();
