/** The globals that the scripts of the libraries define. */
interface Window { maplibregl: any; Chart: any }
interface Array<T> { at(index: number): T | undefined }
