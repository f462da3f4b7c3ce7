import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Size limits: what a reader holds in mind at once. Five parameters spare a type that only one function would know;
 * three are easier to read.
 */
const SIZE_LIMITS = {
  'max-lines': ['error', 400],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 5],
};

/**
 * What the formatter (biome.json) leaves: it breaks no text, and gives no braces. Texts, patterns and addresses may be
 * longer.
 */
const LOOK = {
  plugins: { '@stylistic': stylistic },
  rules: {
    '@stylistic/max-len': [
      'error',
      { code: 120, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
    ],
    curly: ['error', 'multi-line', 'consistent'],
  },
};

export default defineConfig(
  globalIgnores(['node_modules/', 'coverage/', '.data/', 'book/node_modules/', 'book/.vitepress/*/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  LOOK,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...SIZE_LIMITS,
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A number in a message needs no String() around it.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => emitter.emit(...)` is how callbacks are written here.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `while (true)` and `for (;;)` are loops that end by return.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // `async` without `await` turns a throw into a rejection, as a method that promises must.
      '@typescript-eslint/require-await': 'off',
      // Contradicts no-non-null-assertion.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['test/**'],
    rules: {
      // A `describe` is a function. Files of tests are held to the same number of lines as all others.
      'max-lines-per-function': 'off',
      'no-console': 'off',
      // Tests hand methods to `expect`.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
      },
    },
    rules: SIZE_LIMITS,
  },
  {
    // Runs in a browser.
    files: ['test/browser/foreign-page/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['Blob', 'File', 'FormData', 'MediaRecorder', 'clearInterval', 'document', 'fetch', 'setInterval'].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
  },
);
