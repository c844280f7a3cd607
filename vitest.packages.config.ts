// The packages of npm run package in the lab, by hand and before a release: they take minutes.
import {defineConfig} from 'vitest/config'
import lab from './vitest.lab.config.js'

export default defineConfig({test: {...lab.test, include: ['test/lab/packaging/*.package.ts']}})
