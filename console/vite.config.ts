import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  // Relative, so that the page works below any path that the server gives it.
  base: "./",
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2023",
    // Nothing may be inlined: the page's own policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
