import { join } from 'node:path'
import { build } from 'vite'
import { packageRoot } from '../activities/config/package-root.ts'

// Makes dist/verifier/verifier.js of api/verify, the one script of /verify: the rules of the command line, for a browser.
await build({
  root: join(packageRoot, 'api/verify'),
  configFile: false,
  logLevel: 'warn',
  resolve: { alias: { '#domain': join(packageRoot, 'workflows/domain') } },
  build: {
    outDir: join(packageRoot, 'dist/verifier'),
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: {
      input: join(packageRoot, 'api/verify/src/main.ts'),
      output: { format: 'iife', entryFileNames: 'verifier.js' },
    },
  },
})
