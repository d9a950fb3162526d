/** The globals that the scripts of the libraries define. */
interface Window { maplibregl: any; Chart: any }
interface Array<T> { at(index: number): T | undefined }

/** The names of the daemon's methods, and what they take and answer; see methods.d.ts. */
type Method = keyof Methods;
type Params<M extends Method> = Methods[M]['params'];
type Result<M extends Method> = Methods[M]['result'];
/** Calls that go out together, for a list of methods, and their answers: null for one that the daemon refuses. */
type Calls<L extends Method[]> = { [N in keyof L]: [method: L[N], params?: Params<L[N]>] };
type Answers<L extends Method[]> = { [N in keyof L]: Result<L[N]> | null };
/** What an object has as well while a change of it waits on this phone: how that stands, or true. */
interface Waiting { waits?: boolean | 'waiting' | 'conflict' | 'refused' }

/** The element that `h` makes of a tag such as `li.row`. */
type Made<T extends string> = T extends `${infer Name}.${string}` ? Tagged<Name> : Tagged<T>;
type Tagged<Name> = Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement;
/** The attributes of an element. A listener knows its event; what the event happened to depends on the children. */
type Attributes = Listeners & { [name: string]: any };
type Listeners = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name] & Heard) => any
};
interface Heard { currentTarget: any; target: any }
/** What `h` and `add` append. Null, undefined and false are skipped. */
type Child = Node | string | number | bigint | boolean | null | undefined | Child[];

/** Degrees north and east. */
type Point = [number, number];

/** What app.js gives to the module of a page. */
interface Page {
  main: HTMLElement;
  params: Record<string, string>;
  query: URLSearchParams;
  /** Aborted when another page is shown. */
  signal: AbortSignal;
  go(address: string, replaces?: boolean): void;
  whoami(): Promise<void>;
  showNews(count: number): void;
  forget(): void;
  listenAnew(): void;
  refresh(): void;
  redraw(): void;
  /** Sets the title of the window to the name of the page. */
  title(name: string): void;
  /** Listens to events until another page is shown. */
  on(type: string, heard: (event: Happening) => void): void;
}
/** An event of the daemon. What else it has depends on its type. */
interface Happening { type: string; subject?: string; device?: string; [member: string]: any }
/** A button of ui.js. */
interface ButtonSpec {
  label: string;
  icon?: string;
  kind?: string;
  onclick(event: any): any;
  hidesLabel?: boolean;
  pressed?: boolean;
  disabled?: boolean;
}
/** A field of a form. The type of its value depends on `type`; the fields with `more` are behind a button. */
interface FieldSpec {
  name: string;
  label: string;
  type?: string;
  value?: any;
  required?: boolean;
  hint?: string;
  rows?: number;
  options?: Child[][];
  autocomplete?: string;
  attributes?: Record<string, any>;
  half?: boolean;
  more?: boolean;
}
/** A form of form.js. `rename` maps the fields that an error can name to fields of the form. */
interface FormSpec {
  fields: (FieldSpec | Element)[];
  submit: string;
  action(values: any, dialog?: any): Promise<any>;
  keepEmpty?: boolean;
  secondary?: Child[];
  danger?: boolean;
  rename?: Record<string, string>;
}
/** A list that `pages` of ui.js loads page by page: a method, the member of its answer, and how an entry is shown. */
interface Listing<M extends Method, K extends keyof Result<M>> {
  method: M;
  list: K;
  params?: Params<M>;
  row(entry: Listed<M, K>): Child;
  none: Child;
  class?: string;
  loaded?(entries: Listed<M, K>[], answer: Result<M>): void;
  tag?: string;
}
type Listed<M extends Method, K extends keyof Result<M>> = Result<M>[K] extends (infer E)[] | undefined ? E : never;
/** The parts of a feature of a street map, each an expression of the library's style. */
type Drawn = Record<string, any>;
/** A layer of the map's style, which is made for each part of the tiles that has its features. */
interface LayerTemplate { id: string; of: string; make(part: Drawn): any }
/** The colours of the map by what they are for. */
type Colours = Record<string, any>;
