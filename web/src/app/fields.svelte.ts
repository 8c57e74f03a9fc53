// The errors of a form. The arena's problems name the field they are about; `FieldError` shows the
// sentence next to that field.
//
//   const errors = new FormErrors('name', 'password');
//   <form onsubmit={(event) => (event.preventDefault(), errors.run(() => post(...)))}>
//     <label>Name <input {...errors.mark('name')} /></label>
//     <FieldError {errors} field="name" />
//     <FieldError {errors} />                errors that are not about one of these fields
//     <button disabled={errors.busy}>
import { tick } from 'svelte';

import { Problem } from './api';

let forms = 0;

export class FormErrors {
  busy = $state(false);
  private found = $state<{ field: string; detail: string } | null>(null); // "" for the whole form
  private readonly id = `form-${++forms}`;
  private readonly fields: string[];

  /** `fields` are the API's names; an error in an item of a list belongs to the list. */
  constructor(...fields: string[]) {
    this.fields = fields;
  }

  /** The sentence about a field, or about the whole form. */
  of(field = ''): string {
    return this.found?.field === field ? this.found.detail : '';
  }

  idOf(field: string): string {
    return `${this.id}-${field}`;
  }

  /** Attributes of a field's input. `hint` is the id of another element that describes it. */
  mark(field: string, hint = ''): Record<string, string | undefined> {
    const error = this.of(field) && `${this.idOf(field)}-error`;
    return {
      id: this.idOf(field),
      'aria-invalid': error ? 'true' : undefined,
      'aria-describedby': [error, hint].filter(Boolean).join(' ') || undefined,
    };
  }

  clear(): void {
    this.found = null;
  }

  /** Shows an error. Returns whether it is about one of the fields. */
  take(error: unknown): boolean {
    const named = error instanceof Problem ? error.errors : [];
    for (const { field, detail } of named) {
      const mine = this.fields.find((one) => field === one || field.startsWith(one + '.'));
      if (mine) this.found = { field: mine, detail };
      if (mine) return true;
    }
    this.found = { field: '', detail: error instanceof Error ? error.message : String(error) };
    return false;
  }

  /** Sends the form. On failure it shows why and moves the focus to the field to correct. */
  async run(what: () => Promise<unknown>): Promise<boolean> {
    this.clear();
    this.busy = true;
    try {
      await what();
      return true;
    } catch (error) {
      this.busy = false;
      if (this.take(error)) await this.focus();
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Moves the focus to the field that the error is about. */
  async focus(): Promise<void> {
    await tick();
    if (this.found) document.getElementById(this.idOf(this.found.field))?.focus();
  }
}
