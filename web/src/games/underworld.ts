import type { GameModule } from './game';

// Not drawn yet.
export default undefined as unknown as GameModule;
