// Ticks while the viewer waits: browsers slow down the clocks of hidden tabs, but not those of workers.
"use strict";

setInterval(() => postMessage("tick"), 2000);
