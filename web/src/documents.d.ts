// The module that docs-plugin.js generates from the project's documents.
declare module 'virtual:documents' {
  const documents: Record<
    string,
    {
      title: string;
      summary: string;
      contents: { id: string; text: string }[];
      load: () => Promise<{ html: string; contents: { id: string; text: string }[] }>;
    }
  >;
  export default documents;
}
