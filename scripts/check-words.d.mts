export interface AvoidedWord {
  readonly line: number;
  readonly phrase: string;
  readonly text: string;
}
export function readAvoidedPhrases(page?: string): string[];
export function toWords(text: string): string;
export function findAvoidedWords(text: string, phrases: readonly string[]): AvoidedWord[];
export function checkWords(paths?: readonly string[]): string[];
