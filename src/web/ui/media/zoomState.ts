/** Where a picture stands on its way over the page and back. */
export type ZoomState = 'UNLOADED' | 'LOADING' | 'LOADED' | 'UNLOADING';
