/** How a snippet of the page is checked and run. Commands are bash's, in a folder that has nothing but `files`. */
export interface Language {
  /** As the block of the page is marked. */
  readonly fence: string;
  /** What the block becomes. */
  readonly source: string;
  /** What stands beside it. */
  readonly files: Readonly<Record<string, string>>;
  /** Fetches the pinned libraries, and has the compiler or the type checker read the snippet. */
  readonly check: string;
  /** Runs it; prints what the snippet read back. */
  readonly run: string;
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>snippet</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencyManagement><dependencies><dependency>
    <groupId>software.amazon.awssdk</groupId><artifactId>bom</artifactId><version>2.57.8</version>
    <type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>org.testcontainers</groupId><artifactId>testcontainers</artifactId><version>2.0.5</version>
    </dependency>
    <dependency><groupId>software.amazon.awssdk</groupId><artifactId>s3</artifactId></dependency>
  </dependencies>
</project>
`;

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true },
    ...{ target: 'es2024', module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] },
  },
  files: ['snippet.ts'],
};

const PYTHON = ['testcontainers==4.15.0', 'boto3==1.44.5'].flatMap((one) => ['--with', one]).join(' ');
const GO = [
  'github.com/testcontainers/testcontainers-go@v0.45.0',
  'github.com/aws/aws-sdk-go-v2@v1.48.0',
  'github.com/aws/aws-sdk-go-v2/credentials@v1.20.1',
  'github.com/aws/aws-sdk-go-v2/service/s3@v1.114.10',
].join(' ');

export const LANGUAGES: readonly Language[] = [
  {
    fence: 'java',
    source: 'src/main/java/GatewayContainer.java',
    files: { 'pom.xml': POM },
    check: 'mvn -q compile dependency:build-classpath -Dmdep.outputFile=classpath',
    run: 'java -cp "target/classes:$(cat classpath)" GatewayContainer',
  },
  {
    fence: 'ts',
    source: 'snippet.ts',
    files: {
      'package.json': JSON.stringify({ private: true, type: 'module' }),
      'tsconfig.json': JSON.stringify(TSCONFIG),
    },
    check:
      'npm install --silent --no-audit --no-fund --save-exact testcontainers@12.2.0 @aws-sdk/client-s3@3.1169.0 ' +
      'typescript@6.0.3 @types/node@24.19.2 && npx tsc -p .',
    run: `"${process.execPath}" snippet.ts`,
  },
  {
    fence: 'python',
    source: 'snippet.py',
    files: {},
    check: `"$UV" run --no-project --quiet ${PYTHON} --with mypy==2.4.1 mypy --ignore-missing-imports snippet.py`,
    run: `"$UV" run --no-project --quiet ${PYTHON} python snippet.py`,
  },
  {
    fence: 'go',
    source: 'main.go',
    files: { 'go.mod': 'module snippet\n\ngo 1.26\n' },
    check: `go get ${GO} && go vet . && go build -o snippet .`,
    run: './snippet',
  },
];
