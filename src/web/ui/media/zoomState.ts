export type ZoomState = 'UNLOADED' | 'LOADING' | 'LOADED' | 'UNLOADING';
