type Point = readonly [x: number, y: number, z: number];

/** The corners of each face of a box, anticlockwise as seen from outside: bits 0, 1 and 2 of a corner are x, y and z. */
const FACES: readonly (readonly [number, number, number, number])[] = [
  [0, 2, 3, 1],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 4, 6, 2],
  [1, 3, 7, 5],
];

/** A STEP file (AP214) of one box that stands on the origin, in millimetres, in one colour. */
export function stepBox([wide, deep, high]: Point, [red, green, blue]: Point): string {
  const lines: string[] = [];
  const add = (entity: string): string => `#${lines.push(`#${lines.length + 1}=${entity};`)}`;
  const reals = (numbers: readonly number[]) => numbers.map((number) => number.toFixed(6)).join(",");
  const point = (at: Point) => add(`CARTESIAN_POINT('',(${reals(at)}))`);
  const direction = (to: Point) => add(`DIRECTION('',(${reals(to)}))`);
  const corners = Array.from({ length: 8 }, (_, at): Point => {
    const [x, y, z] = [at & 1, (at >> 1) & 1, at >> 2];
    return [(x - 0.5) * wide, (y - 0.5) * deep, z * high];
  });
  const cornerOf = (at: number): Point => corners[at] ?? [0, 0, 0];
  const vertices = corners.map((at) => add(`VERTEX_POINT('',${point(at)})`));
  const towards = (from: number, to: number): Point => {
    const [a, b] = [cornerOf(from), cornerOf(to)];
    return [Math.sign(b[0] - a[0]), Math.sign(b[1] - a[1]), Math.sign(b[2] - a[2])];
  };
  const edges = new Map<string, string>();
  const edge = (from: number, to: number): string => {
    const [low, up] = [Math.min(from, to), Math.max(from, to)];
    const known = edges.get(`${low} ${up}`);
    if (known) return known;
    const line = `LINE('',${point(cornerOf(low))},${add(`VECTOR('',${direction(towards(low, up))},1.)`)})`;
    const made = add(`EDGE_CURVE('',${vertices[low]},${vertices[up]},${add(line)},.T.)`);
    edges.set(`${low} ${up}`, made);
    return made;
  };
  const faces = FACES.map((around) => {
    const sides = around.map((from, place) => {
      const to = around[(place + 1) % 4] ?? 0;
      return add(`ORIENTED_EDGE('',*,*,${edge(from, to)},${from < to ? ".T." : ".F."})`);
    });
    const [first, second, , last] = around;
    const [u, v] = [towards(first, second), towards(first, last)];
    const out: Point = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const place = `AXIS2_PLACEMENT_3D('',${point(cornerOf(first))},${direction(out)},${direction(u)})`;
    const bound = add(`FACE_OUTER_BOUND('',${add(`EDGE_LOOP('',(${sides.join()}))`)},.T.)`);
    return add(`ADVANCED_FACE('',(${bound}),${add(`PLANE('',${add(place)})`)},.T.)`);
  });
  const solid = add(`MANIFOLD_SOLID_BREP('',${add(`CLOSED_SHELL('',(${faces.join()}))`)})`);
  const units = [
    add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))"),
    add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))"),
    add("(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT())"),
  ];
  const accuracy = add(`UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),${units[0]},'','')`);
  const space = add(
    `(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((${accuracy})) GLOBAL_UNIT_ASSIGNED_CONTEXT((${units.join()})) REPRESENTATION_CONTEXT('',''))`,
  );
  const zero = add(`AXIS2_PLACEMENT_3D('',${point([0, 0, 0])},${direction([0, 0, 1])},${direction([1, 0, 0])})`);
  const shape = add(`ADVANCED_BREP_SHAPE_REPRESENTATION('',(${zero},${solid}),${space})`);
  const world = add("APPLICATION_CONTEXT('automotive design')");
  const product = add(`PRODUCT('box','box','',(${add(`PRODUCT_CONTEXT('',${world},'mechanical')`)}))`);
  const formation = add(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
  const design = add(`PRODUCT_DEFINITION_CONTEXT('part definition',${world},'design')`);
  const definition = add(`PRODUCT_DEFINITION_SHAPE('','',${add(`PRODUCT_DEFINITION('','',${formation},${design})`)})`);
  add(`SHAPE_DEFINITION_REPRESENTATION(${definition},${shape})`);
  const fill = add(`FILL_AREA_STYLE_COLOUR('',${add(`COLOUR_RGB('',${reals([red, green, blue])})`)})`);
  const surface = add(`SURFACE_STYLE_FILL_AREA(${add(`FILL_AREA_STYLE('',(${fill}))`)})`);
  const usage = add(`SURFACE_STYLE_USAGE(.BOTH.,${add(`SURFACE_SIDE_STYLE('',(${surface}))`)})`);
  const styled = add(`STYLED_ITEM('',(${add(`PRESENTATION_STYLE_ASSIGNMENT((${usage}))`)}),${solid})`);
  add(`MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(${styled}),${space})`);
  return [
    ...["ISO-10303-21;", "HEADER;", "FILE_DESCRIPTION((''),'2;1');"],
    ...["FILE_NAME('box','2026-01-01T00:00:00',(''),(''),'','','');", "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));"],
    ...["ENDSEC;", "DATA;", ...lines, "ENDSEC;", "END-ISO-10303-21;", ""],
  ].join("\n");
}

/** The same file with more entities; their numbers start far above those of the box. */
const withEntities = (file: string, entities: readonly string[]): string =>
  file.replace("ENDSEC;\nEND-ISO", `${entities.join("\n")}\nENDSEC;\nEND-ISO`);

const FIRST_ADDED = 10_000;
const ENTITIES_OF_RING = 9;

/** Adds rings: few entities, about 880 triangles each. */
export function withRings(file: string, count: number): string {
  const [up, right] = [FIRST_ADDED - 2, FIRST_ADDED - 1].map((number) => `#${number}`);
  const entities = [`${up}=DIRECTION('',(0.,0.,1.));`, `${right}=DIRECTION('',(1.,0.,0.));`];
  const solids = Array.from({ length: count }, (_, at) => {
    const first = FIRST_ADDED + at * ENTITIES_OF_RING;
    const [point, place, surface, vertex, loop, bound, face, shell, solid] = Array.from(
      { length: ENTITIES_OF_RING },
      (_, next) => `#${first + next}`,
    );
    entities.push(
      `${point}=CARTESIAN_POINT('',(${(at % 100) * 3}.,${Math.floor(at / 100) * 3}.,0.));`,
      `${place}=AXIS2_PLACEMENT_3D('',${point},${up},${right});`,
      `${surface}=TOROIDAL_SURFACE('',${place},1.,0.25);`,
      `${vertex}=VERTEX_POINT('',${point});`,
      `${loop}=VERTEX_LOOP('',${vertex});`,
      `${bound}=FACE_BOUND('',${loop},.T.);`,
      `${face}=ADVANCED_FACE('',(${bound}),${surface},.T.);`,
      `${shell}=CLOSED_SHELL('',(${face}));`,
      `${solid}=MANIFOLD_SOLID_BREP('',${shell});`,
    );
    return solid;
  });
  const shape = /(ADVANCED_BREP_SHAPE_REPRESENTATION\('',\([^)]*)/;
  return withEntities(file.replace(shape, `$1,${solids.join()}`), entities);
}

/** Adds points that nothing uses. */
export const withPoints = (file: string, count: number): string =>
  withEntities(
    file,
    Array.from({ length: count }, (_, at) => `#${FIRST_ADDED + at}=CARTESIAN_POINT('',(${at}.,0.,0.));`),
  );

/** Adds one curve through the same point again and again, for which the reader takes time by the square of their number. */
export const withCurve = (file: string, length: number): string =>
  withEntities(file, [
    `#${FIRST_ADDED}=CARTESIAN_POINT('',(1.,0.,0.));`,
    `#${FIRST_ADDED + 1}=POLYLINE('',(${new Array<string>(length).fill(`#${FIRST_ADDED}`).join()}));`,
  ]);
