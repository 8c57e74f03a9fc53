// Who is logged in. `session.person` is undefined until that is known, and null for a guest.
import { get, post, Problem, setCsrfToken } from './api';

export interface Person {
  name: string;
  role: 'player' | 'organiser' | 'administrator';
  /** The password was set for this person, who can do nothing else before changing it. */
  must_change_password: boolean;
}

interface Me extends Person {
  csrf_token: string;
}

export const session = $state<{ person: Person | null | undefined }>({ person: undefined });

// Scripts cannot see the session cookie. Remember whether there may be one, so that guests make no
// request.
const KNOWN = 'logged-in';

function take(me: Me): void {
  localStorage.setItem(KNOWN, 'yes');
  setCsrfToken(me.csrf_token);
  session.person = {
    name: me.name,
    role: me.role,
    must_change_password: me.must_change_password,
  };
}

export async function loadSession(): Promise<void> {
  if (!localStorage.getItem(KNOWN)) {
    session.person = null;
    return;
  }
  try {
    take(await get<Me>('/me'));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) localStorage.removeItem(KNOWN);
    session.person = null;
  }
}

export async function logIn(name: string, password: string): Promise<void> {
  take(await post<Me>('/login', { name, password }));
}

export async function register(name: string, password: string, invitation?: string): Promise<void> {
  take(
    await post<Me>('/register', invitation ? { name, password, invitation } : { name, password }),
  );
}

export async function logOut(): Promise<void> {
  await post('/logout');
  setCsrfToken('');
  localStorage.removeItem(KNOWN);
  session.person = null;
}
