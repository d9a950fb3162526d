/** What the libraries' scripts put into the window. */
interface Window { L: any; Chart: any }
interface Array<T> { at(index: number): T | undefined }
