// Keeps a process small that runs for years.
import {setFlagsFromString} from 'node:v8'

/**
 * V8 reads its limits of the heap only when it starts, and a service has no place for NODE_OPTIONS, which k8s-win.exe ignores.
 * These it reads whenever it collects: young objects get no more room, and old ones less ahead of need (V8, src/heap/new-spaces.cc
 * and heap.cc, ShouldOptimizeForMemoryUsage).
 */
export function limitMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--optimize-for-size')
}
