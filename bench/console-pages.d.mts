import type { Browser, Page } from "playwright-core";

export interface MeasuredServer {
  readonly url: string;
  stop(): Promise<void>;
}

type Times = readonly (readonly [name: string, ms: number])[];

export function startConsole(places: {
  readonly workspace: string;
  readonly config: string;
}): Promise<MeasuredServer>;
export function openConsole(browser: Browser, server: MeasuredServer): Promise<Page>;
export function measurePages(
  page: Page,
  server: MeasuredServer,
  options?: { readonly rounds?: number },
): Promise<Times>;
export function measureFilters(
  page: Page,
  server: MeasuredServer,
  options?: { readonly rounds?: number },
): Promise<Times>;
export function pumpCalls(server: MeasuredServer, calls: number): Promise<void>;
